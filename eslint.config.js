import tseslint from 'typescript-eslint';

const noExportAll = { selector: 'ExportAllDeclaration', message: 'Name what is exported.' };
/** The timer inside can be garbage-collected before it fires (nodejs/node#57867). */
const noLostTimer = {
  selector: "MemberExpression[object.name='AbortSignal'][property.name=/^(any|timeout)$/]",
  message: 'Use withDeadline or followAbort.',
};

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'node_modules/**', 'src/api-client/openapi.ts'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Naming a property beside `...rest` leaves it out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // Forgetting to await an Activity is the classic mistake.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Interfaces of promises are implemented by functions that may have nothing to await.
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': ['error', noExportAll, noLostTimer],
      // Preact's types bring those of a browser along.
      'no-restricted-globals': ['error', 'document', 'event', 'location', 'name', 'status', 'window'],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: [
      'src/cli/main.ts',
      'src/worker.ts',
      'src/server.ts',
      'src/email-service/main.ts',
      'src/cli/**',
      'src/dev/**',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only entry files read the environment.' },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['src/workflows/**/*.ts', 'src/email-service/workflows/**/*.ts', 'src/onboarding/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^node:', message: 'The Workflow sandbox has no Node builtins.' }] },
      ],
    },
  },
  {
    // All texts of a language are in one file.
    files: ['src/http/setup-page/texts/*.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'no-restricted-syntax': ['error', noExportAll],
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'vitest', importNames: ['it'], message: 'Write test, as all tests do.' }] },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
);
