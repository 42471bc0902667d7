// The linter of the pages' scripts: make lint-js. Core rules alone, so that it needs nothing but ESLint itself.

const read = (names) => Object.fromEntries(names.split(" ").map((name) => [name, "readonly"]));
const BROWSER = read("document window atob devicePixelRatio requestAnimationFrame addEventListener dispatchEvent Event Option IntersectionObserver Blob Response DecompressionStream Worker URL performance self setTimeout WebAssembly TextDecoder");

export default [
  {
    files: ["fmu_src/**/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: { ...BROWSER, ...read("THREE Bokeh") } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "constructor-super": "error",
      "eqeqeq": "error",
      "getter-return": "error",
      "no-const-assign": "error",
      "no-dupe-args": "error",
      "no-dupe-else-if": "error",
      "no-dupe-keys": "error",
      "no-duplicate-imports": "error",
      "no-eval": "error",
      "no-func-assign": "error",
      "no-global-assign": "error",
      "no-import-assign": "error",
      "no-redeclare": "error",
      "no-restricted-properties": ["error", { property: "innerHTML", message: "names are text, not markup" }, { property: "outerHTML" }, { property: "insertAdjacentHTML" }],
      "no-self-assign": "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-unused-vars": "error",
      "no-use-before-define": ["error", { functions: false, classes: true, variables: false }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "valid-typeof": "error",
    },
  },
];
