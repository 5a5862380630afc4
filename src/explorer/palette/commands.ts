import {
  type AssetName,
  agreementAddress,
  assetAddress,
  changesAddress,
  contractAddress,
  csvAddress,
  lineageAddress,
  pathsAddress,
} from '../addresses.ts';
import { lastName } from '../api/full-name.ts';
import { hasLineage } from '../api/kinds.ts';
import { viewsOf } from '../asset/views.ts';

/** What the palette offers by its name: pages, the parts of what the page is about, and what the frame can do. */

export type Deed = 'keys' | 'copyLink' | 'signOut' | 'light' | 'dark' | 'system';

export type Command = {
  readonly name: string;
  /** What it is about, or where it leads. */
  readonly of: string;
  readonly does: { readonly goTo: string } | { readonly deed: Deed };
};

/** What the visitor may do with the asset of the page. */
export type AssetRights = {
  readonly mayWriteContract: boolean;
  readonly mayExport: boolean;
  readonly mayImport: boolean;
};

export const NO_RIGHTS: AssetRights = { mayWriteContract: false, mayExport: false, mayImport: false };

const ASSET_PAGES: ReadonlySet<string> = new Set(['assets', 'lineage', 'contracts', 'csv']);

/** The asset that a page is about, by its address. */
export const assetOfPage = (path: string): AssetName | undefined => {
  const [, page = '', type = '', fqn = ''] = path.split('/');
  if (!ASSET_PAGES.has(page) || type === '' || fqn === '') return undefined;
  try {
    return { type: decodeURIComponent(type), fqn: decodeURIComponent(fqn) };
  } catch {
    return undefined;
  }
};

/** What breaks when the asset goes. */
export const impactAddress = (type: string, fqn: string): string => `${lineageAddress(type, fqn)}?change=drop`;

/** The name of the page of CSV; none for who may take nothing out. */
const csvTitle = ({ mayExport, mayImport }: AssetRights): string | undefined =>
  mayImport ? 'CSV in and out' : mayExport ? 'Export as CSV' : undefined;

const commandsOfAsset = ({ type, fqn }: AssetName, rights: AssetRights): readonly Command[] => {
  const goTo = (name: string, address: string): Command => ({ name, of: lastName(fqn), does: { goTo: address } });
  const page = assetAddress(type, fqn);
  const csv = csvTitle(rights);
  return [
    ...(hasLineage(type)
      ? [
          goTo('Lineage', lineageAddress(type, fqn)),
          goTo('What breaks if this goes', impactAddress(type, fqn)),
          goTo('Paths from here', pathsAddress({ type, fqn })),
        ]
      : []),
    ...viewsOf(type).map(({ view, title }) => goTo(title, view === 'overview' ? page : `${page}?view=${view}`)),
    ...(rights.mayWriteContract ? [goTo('Contract editor', contractAddress(type, fqn))] : []),
    ...(csv === undefined ? [] : [goTo(csv, csvAddress(type, fqn))]),
    goTo('Changes', changesAddress(fqn)),
  ];
};

/** Pages that no menu has room for. */
const MORE_PAGES: readonly Command[] = [
  { name: 'Paths between two assets', of: 'page', does: { goTo: '/paths' } },
  { name: 'Declared and observed lineage', of: 'page', does: { goTo: agreementAddress() } },
];

const OF_FRAME: readonly Command[] = [
  { name: 'Copy the link to this view', of: 'this page', does: { deed: 'copyLink' } },
  { name: 'Keys', of: 'this page', does: { deed: 'keys' } },
  { name: 'Theme: light', of: 'this browser', does: { deed: 'light' } },
  { name: 'Theme: dark', of: 'this browser', does: { deed: 'dark' } },
  { name: 'Theme: as the system', of: 'this browser', does: { deed: 'system' } },
  { name: 'Sign out', of: 'this browser', does: { deed: 'signOut' } },
];

/** The commands of a page, for who sees some menu and has some rights. What the page is about comes first. */
export const commandsOf = (
  path: string,
  pages: readonly { readonly href: string; readonly title: string }[],
  rights: AssetRights = NO_RIGHTS,
): readonly Command[] => {
  const asset = assetOfPage(path);
  return [
    ...(asset ? commandsOfAsset(asset, rights) : []),
    ...pages.map(({ href, title }): Command => ({ name: title, of: 'page', does: { goTo: href } })),
    ...MORE_PAGES,
    ...OF_FRAME,
  ];
};

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** The commands in whose names some word begins with each word of a text. */
export const matchCommands = (commands: readonly Command[], text: string): readonly Command[] => {
  const typed = wordsOf(text);
  return commands.filter(({ name }) => typed.every((part) => wordsOf(name).some((word) => word.startsWith(part))));
};

/** What the first sign of a text narrows the palette to. */
const SIGNS = { '>': 'commands', '@': 'people', '#': 'meanings', ':': 'columns' } as const;

export type Narrowing = (typeof SIGNS)[keyof typeof SIGNS] | 'all';

export const readTyped = (text: string): { readonly narrowing: Narrowing; readonly text: string } => {
  const trimmed = text.trimStart();
  const narrowing = SIGNS[trimmed.charAt(0) as keyof typeof SIGNS];
  return narrowing === undefined ? { narrowing: 'all', text: trimmed } : { narrowing, text: trimmed.slice(1).trim() };
};

/** The kinds that a narrowed text searches. */
export const INDEX_OF: Readonly<Partial<Record<Narrowing, string>>> = {
  people: 'user,team',
  meanings: 'tag,glossaryTerm,classification,glossary',
};
