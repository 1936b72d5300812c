/** Names that are not exported. */
import { Error } from "sayso-client"; // TS2305
import "sayso-client/dist/http.js"; // TS2882
import { gate } from "sayso-client/ai"; // TS2305
console.log(Error, gate);
