import jsdoc from "eslint-plugin-jsdoc";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
    { ignores: ["dist", "lint", "test"] },
    {
        files: ["src/**/*.ts", "src/**/*.mts"],
        extends: [typescript.configs.strictTypeChecked],
        plugins: { jsdoc },
        languageOptions: { parserOptions: { projectService: true } },
        rules: {
            "eqeqeq": "error",
            // An empty text counts as missing.
            "@typescript-eslint/prefer-nullish-coalescing": "off",
            "@typescript-eslint/no-non-null-assertion": "off",
            "@typescript-eslint/no-unused-vars": [
                "error", { ignoreRestSiblings: true }],
            "@typescript-eslint/restrict-template-expressions": [
                "error", { allowNumber: true }],
            // What is public has a comment.
            "jsdoc/require-jsdoc": ["error", {
                publicOnly: true,
                require: { ClassDeclaration: true, FunctionDeclaration: true,
                           MethodDefinition: true },
                contexts: ["TSInterfaceDeclaration", "TSTypeAliasDeclaration",
                           "TSPropertySignature",
                           "PropertyDefinition[override!=true]"],
                checkConstructors: false }],
        },
    },
);
