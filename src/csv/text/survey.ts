import type { Row } from '../../http/csv.ts';
import { headerOf, type Layout, recognise } from '../layout.ts';
import type { Source } from './source.ts';

/** What is known of a file before its first row is applied. */
export type Survey = { readonly layout: Layout; readonly rows: number };

type Expectation = { readonly among: readonly Layout[]; readonly dryRun: boolean };

/** Reads a file once from end to end and throws `fileRefused` for what is wrong with it anywhere. */
export const surveyFile = async (_source: Source, _expected: Expectation): Promise<Survey> => {
  throw new Error('to be written');
};

export const _todo = (header: Row, among: readonly Layout[]) => [recognise(header, among), headerOf];
