export * from "./claude-agent.js";
