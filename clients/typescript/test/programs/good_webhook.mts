/** A receiver, and a form with typed fields. */
import { createServer } from "node:http";
import {
    ask, InvalidSignature, type Question, verifyWebhook,
} from "sayso-client";

createServer((request, response) => {
    const parts: Uint8Array[] = [];
    request.on("data", (part: Uint8Array) => parts.push(part));
    request.on("end", () => {
        try {
            const { type, data } = verifyWebhook(
                Buffer.concat(parts), request.headers, "whsec_x");
            console.log(type.length, data["outcome"]);
        } catch (no) {
            response.statusCode = no instanceof InvalidSignature ? 401 : 500;
        }
        response.end();
    });
});

const parcel: Question = {
    form: [{ key: "street", required: true },
           { key: "speed", type: "enum", options: ["slow", "fast"] }],
    retry_policy: { max_attempts: 3, interval_seconds: 60 },
    intent: { title: "Ship order 777", initiated_by: "mara@example.org" } };
console.log((await ask("Where?", parcel)).value);
