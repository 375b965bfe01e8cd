// The panels, in the page's order.
import score_spread from "./score_spread.js";
import softmax_jacobian from "./softmax_jacobian.js";
import head_training from "./head_training.js";
import where from "./where.js";
import by_hand from "./by_hand.js";

export default [score_spread, softmax_jacobian, head_training, where, by_hand];
