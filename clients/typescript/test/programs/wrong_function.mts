/** Functions whose arguments nobody could see. */
import { requireApproval } from "sayso-client";

requireApproval((text: string) => text); // TS2345
const refund = requireApproval((args: { order: string }) => args.order);
await refund({ order: 5 }); // TS2322
const text: number = await refund({ order: "1" }); // TS2322
const pay = requireApproval((order: string, amount: number) => order + amount,
                            { params: ["order", "amount"] });
await pay("1"); // TS2554
requireApproval((args: { order: string }) => args.order, {
    refusal: "retrun" }); // TS2769
console.log(text);
