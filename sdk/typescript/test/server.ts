// The server of the environment, which test/integration/sdk.sh starts.
import { Loci, type LociOptions } from "@loci-memory/sdk";

/** variable returns a variable that test/integration/sdk.sh sets. */
function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run .ci/run integration sdk`);
  return value;
}

export const baseUrl = variable("LOCI_URL");
export const apiKey = variable("LOCI_API_KEY");
export const agentKey = variable("LOCI_AGENT_KEY");

/** connect returns a client with the owner's key. */
export function connect(options: LociOptions = {}): Loci {
  return new Loci({ baseUrl, apiKey, ...options });
}

/** signIn returns the cookie of a fresh browser sign-in, from the link of `loci open --print`. */
export async function signIn(): Promise<string> {
  const token = new URL(variable("LOCI_LINK")).searchParams.get("token") ?? "";
  const { origin } = new URL(baseUrl);
  const headers = { Origin: origin, "Sec-Fetch-Site": "same-origin" };
  const answer = await fetch(`${baseUrl}/app/link`, { method: "POST", headers, body: new URLSearchParams({ token }), redirect: "manual" });
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  if (!cookie) throw new Error(`no cookie: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  return cookie;
}
