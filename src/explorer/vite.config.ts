import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds the explorer into `dist/explorer`, from where the service serves it. Every file but the page has its hash in its name. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/explorer/',
  build: {
    outDir: fileURLToPath(new URL('../../dist/explorer', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would be data addresses, which the security policy of the page refuses for scripts and styles.
    assetsInlineLimit: 0,
    // The licences of the packages whose code is in the files ask to be handed on with it.
    license: { fileName: 'licenses.md' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Libraries mark modules for servers that render pages; nothing here is rendered by a server.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  worker: { format: 'es' },
});
