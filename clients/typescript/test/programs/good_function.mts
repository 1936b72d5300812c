/** Functions of one object, of several arguments, and of a class. */
import { Client, Denied, requireApproval } from "sayso-client";

const refund = requireApproval(
    async (args: { order: string; amount: number }) => args.amount * 2,
    { name: "refund", target: ({ order }) => `order ${order}`,
      once: ({ order }) => `run-1:${order}` });
const twice: number = await refund({ order: "1", amount: 5 },
                                   { signal: AbortSignal.timeout(5) });

const pay = new Client().requireApproval(
    (order: string, amount?: number) => `${order} ${amount ?? 1}`,
    { name: "pay", params: ["order", "amount"], refusal: "return",
      target: (order, amount = 1) => order.repeat(amount) });
const text: string = await pay("1");

class Shop {
    readonly name = "Bonn";
    readonly close = requireApproval(function close(
        this: Shop, args: { day: string }) {
        return this.name.length + args.day.length;
    }, { refusal: "return" });
}
const closed: number | string = await new Shop().close({ day: "Monday" });
console.log(twice, text, closed, Denied);
