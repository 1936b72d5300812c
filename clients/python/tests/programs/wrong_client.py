"""What no client takes."""

import sayso

client = sayso.Client(retries=3)  # wrong: call-arg
client.approve_call("refund", [1])  # wrong: type-var
client.approve_call("refund", {}, callid="1")  # wrong: call-arg
client.use("1")  # wrong: arg-type
client.redeem(permit_id="1")  # wrong: call-arg
client.list(state="open")  # wrong: arg-type
client.verify_webhook(b"", {}, "")  # wrong: attr-defined
