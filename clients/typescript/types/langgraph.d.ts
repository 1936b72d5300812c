/** What is used of @langchain/langgraph, which is not installed to build this
 * package. */
export declare class Command {
    constructor(given: { resume: Record<string, unknown> });
}
