// The panels, in the page's order.
import score_spread from "./score_spread.js";
import softmax_jacobian from "./softmax_jacobian.js";

export default [score_spread, softmax_jacobian];
