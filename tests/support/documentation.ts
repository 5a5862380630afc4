import { readdirSync, readFileSync } from 'node:fs';
import { packageRoot } from '../../src/graph/package-root.ts';

/** Reads the pages of the documentation for tests. */

/** One page of the documentation, by its path below the root of the repository. */
export type Page = { readonly path: string; readonly text: string };

/** A fenced block of a page. */
export type Block = { readonly page: string; readonly language: string; readonly code: string };

const readPage = (path: string): Page => ({ path, text: readFileSync(`${packageRoot}/${path}`, 'utf8') });

/** The README and every page of `docs/` and the folders in it. */
export const readPages = (): readonly Page[] => {
  const names = readdirSync(`${packageRoot}/docs`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return [readPage('README.md'), ...names.sort().map((name) => readPage(`docs/${name}`))];
};

export const blocksOf = ({ path, text }: Page): readonly Block[] =>
  [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    page: path,
    language,
    code,
  }));

export const proseOf = ({ text }: Page): string => text.replace(/^```.*\n[\s\S]*?^```$/gm, '');

/** The anchors that a page offers: its headings in lower case, without punctuation, joined by hyphens. */
export const anchorsOf = (page: Page): ReadonlySet<string> =>
  new Set(
    [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
