/** A client that is made of the wrong things. */
import { Client } from "sayso-client";

new Client({ url: 5 }); // TS2322
new Client({ api_key: "k" }); // TS2353
new Client({ fetch: (url: number) => url }); // TS2322
const client = new Client();
void client.list({ state: "open" }); // TS2322
void client.redeem({ permitId: "1" }); // TS2554
console.log(client.key); // TS2339
