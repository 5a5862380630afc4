import { type SearchChoice, writeSearchChoice } from './search/choice.ts';

/** The addresses of the pages. */

export const assetAddress = (type: string, fqn: string): string =>
  `/assets/${encodeURIComponent(type)}/${encodeURIComponent(fqn)}`;

/** The page of an asset with one of its columns or fields open. */
export const columnAddress = (type: string, fqn: string, column: string): string =>
  `${assetAddress(type, fqn)}?column=${encodeURIComponent(column)}`;

export const lineageAddress = (type: string, fqn: string): string =>
  `/lineage/${encodeURIComponent(type)}/${encodeURIComponent(fqn)}`;

/** The lineage of an asset with the trail of one of its columns lit. */
export const trailAddress = (type: string, fqn: string, column: string): string =>
  `${lineageAddress(type, fqn)}?column=${encodeURIComponent(column)}`;

/** What changed in an asset and below it, or in the whole catalog. */
export const changesAddress = (scope?: string): string =>
  scope === undefined ? '/changes' : `/changes?scope=${encodeURIComponent(scope)}`;

/** Which lineage of a part of the catalog is declared, observed or both. */
export const agreementAddress = (scope?: string): string =>
  scope === undefined ? '/agreement' : `/agreement?scope=${encodeURIComponent(scope)}`;

export const contractAddress = (type: string, fqn: string): string =>
  `/contracts/${encodeURIComponent(type)}/${encodeURIComponent(fqn)}`;

export const csvAddress = (type: string, fqn: string): string =>
  `/csv/${encodeURIComponent(type)}/${encodeURIComponent(fqn)}`;

export const searchAddress = (text: string): string => `/search?q=${encodeURIComponent(text.trim())}`;

export type AssetName = { readonly type: string; readonly fqn: string };

const writeEnd = ({ type, fqn }: AssetName): string => `${type}:${fqn}`;

/** The paths that lead from one asset to another; the other may still be chosen on the page. */
export const pathsAddress = (from: AssetName, to?: AssetName): string =>
  `/paths?${new URLSearchParams({ from: writeEnd(from), ...(to ? { to: writeEnd(to) } : {}) })}`;
export const searchChoiceAddress = (choice: SearchChoice): string => `/search?${writeSearchChoice(choice)}`;
