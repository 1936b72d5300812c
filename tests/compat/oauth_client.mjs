// openid-client as an agent and as a gateway: discovery, a request, polls with
// proofs of a key, introspection, revocation. Prints one line of JSON for each
// step; the test answers the question in between.
import { pathToFileURL } from "node:url";

const given = JSON.parse(process.argv[2]);
const client = await import(pathToFileURL(
    `${given.packages}/openid-client/build/index.js`));

function tell(step, value) {
    console.log(JSON.stringify({ step, value }));
}

async function as(who) {
    return client.discovery(new URL(given.issuer), who.id, undefined,
        client.ClientSecretBasic(who.secret),
        { algorithm: "oauth2", execute: [client.allowInsecureRequests] });
}

const agent = await as(given.agent);
const gateway = await as(given.gateway);
tell("metadata", agent.serverMetadata());
const pair = await client.randomDPoPKeyPair(given.alg);
const DPoP = client.getDPoPHandle(agent, pair);
const asked = await client.initiateBackchannelAuthentication(agent, {
    authorization_details: given.details, resource: given.resource,
    binding_message: "Refund order 12345", scope: "" });
tell("asked", asked);
const token = await client.pollBackchannelAuthenticationGrant(
    agent, asked, undefined, { DPoP });
tell("token", token);
tell("live", await client.tokenIntrospection(gateway, token.access_token));
await client.tokenRevocation(agent, token.access_token);
tell("ended", await client.tokenIntrospection(gateway, token.access_token));
