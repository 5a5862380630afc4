import { DOCUMENT_SHAPE, type MemberShapes, ROOT_QUALITY } from './shape.ts';
import { DOCUMENT_SHAPE_2 } from './shape-2.ts';
import { isVersion2, type OdcsVersion } from './version.ts';

/** The member names that differ between versions. */
export type VersionVocabulary = {
  readonly members: MemberShapes;
  readonly kinds: readonly string[];
  /** The names of the list of objects, of the list of columns and of a column's name. */
  readonly objects: string;
  readonly columns: string;
  readonly column: string;
};

const VOCABULARY_3: VersionVocabulary = {
  members: { ...DOCUMENT_SHAPE, quality: ROOT_QUALITY },
  kinds: ['DataContract'],
  objects: 'schema',
  columns: 'properties',
  column: 'name',
};

const VOCABULARY_2: VersionVocabulary = {
  members: { ...DOCUMENT_SHAPE_2, kind: { shape: { leaf: 'text' }, required: true } },
  kinds: ['DataContract', 'virtualDataset', 'managedDataset'],
  objects: 'dataset',
  columns: 'columns',
  column: 'column',
};

/** The first release of 2.2 has no `kind`. */
const VOCABULARY_2_0: VersionVocabulary = { ...VOCABULARY_2, members: DOCUMENT_SHAPE_2 };

export const vocabularyOf = (version: OdcsVersion): VersionVocabulary => {
  if (!isVersion2(version)) return VOCABULARY_3;
  return version === 'v2.2.0' ? VOCABULARY_2_0 : VOCABULARY_2;
};
