// One script for the page and for its workers.
import panels from "../panels/index.js";
import { show } from "./show.js";
import { serve } from "./worker.js";

if (typeof document === "undefined") serve(panels);
else show(panels);
