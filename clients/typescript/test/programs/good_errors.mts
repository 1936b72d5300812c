/** Each error by what one does about it. */
import {
    ApiError, approveCall, Conflict, Denied, SaysoError, Unreachable,
} from "sayso-client";

try {
    const args: { n: number } = await approveCall("count", { n: 1 });
    console.log(args.n);
} catch (error) {
    if (error instanceof Denied)
        console.log(error.message, error.answer.url, error.over);
    else if (error instanceof Unreachable)
        setTimeout(() => undefined, 1000 * (error.retryAfter ?? 5));
    else if (error instanceof Conflict)
        console.log(error.suspensionId?.length);
    else if (error instanceof ApiError)
        console.log(error.status + 1, error.code, error.at, error.detail);
    else if (error instanceof SaysoError)
        console.log(error.requestId?.trim());
}
