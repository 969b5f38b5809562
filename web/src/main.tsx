import { render } from "preact";
import { startIdentity } from "./api.ts";
import { App } from "./app.tsx";
import { startLanguage } from "./i18n/index.ts";
import { startKeys } from "./keys.ts";
import { startLive } from "./live.ts";
import { startRouter } from "./router.ts";
import { startTheme } from "./theme.ts";
import { viewOf } from "./views.ts";

startTheme();
startRouter((path) => viewOf(path) !== undefined);
startKeys();
void startLive();
startIdentity().catch(() => undefined); // the view tells what is wrong, because its reads fail, too
void startLanguage()
  .catch(() => undefined) // the text stays English
  .then(() => render(<App />, document.getElementById("app")!));
