import { usePlace } from "../../router.ts";
import { Matrix } from "./matrix.tsx";
import { ViewAs } from "./viewas.tsx";
import "./visibility.css";

/** What each assistant can see: /visibility is the matrix, /visibility/VENDOR what one of them gets, /visibility/VENDOR/ID one memory. */
export default function Visibility() {
  const place = usePlace();
  const [, vendor = "", id = ""] = place.path.split("/");
  return vendor ? <ViewAs key={vendor} vendor={vendor} open={id} /> : <Matrix />;
}
