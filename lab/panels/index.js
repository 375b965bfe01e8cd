// The panels, in the page's order.
import by_hand from "./by_hand.js";
import score_spread from "./score_spread.js";
import softmax_jacobian from "./softmax_jacobian.js";

export default [score_spread, softmax_jacobian, by_hand];
