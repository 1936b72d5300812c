import sayso.*;

/** A client that was made by OpenAPI Generator asks, reads and withdraws. */
class Client {
    public static void main(String[] args) throws ApiException {
        ApiClient client = new ApiClient();
        client.updateBaseUri(args[0]);
        client.setRequestInterceptor(
            request -> request.header("X-API-Key", args[1]));
        QuestionsApi api = new QuestionsApi(client);
        Asked asked = api.ask(new Ask().question("Generated?"), "generated",
                              null);
        Suspension read = api.readQuestion(asked.getSuspensionId(),
                                           "generated", 0);
        if (read.getState() != SuspensionState.PENDING)
            throw new IllegalStateException(read.toString());
        System.out.println(api.takeBack(asked.getSuspensionId(), "generated",
                                        null, new TakeBack()).getState());
    }
}
