// The panels, in the page's order.
import score_spread from "./score_spread.js";

export default [score_spread];
