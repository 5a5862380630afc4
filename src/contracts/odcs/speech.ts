import { DOCUMENT, type Members, ROOT_QUALITY } from './shape.ts';
import { DOCUMENT_2 } from './shape-2.ts';
import { isVersion2, type OdcsVersion } from './version.ts';

/** How the documents of a version speak of what all have. */
export type VersionSpeech = {
  readonly members: Members;
  readonly kinds: readonly string[];
  /** The names of the list of objects, of the list of columns and of the name of a column. */
  readonly objects: string;
  readonly columns: string;
  readonly column: string;
};

const SPEECH_3: VersionSpeech = {
  members: { ...DOCUMENT, quality: ROOT_QUALITY },
  kinds: ['DataContract'],
  objects: 'schema',
  columns: 'properties',
  column: 'name',
};

const SPEECH_2: VersionSpeech = {
  members: { ...DOCUMENT_2, kind: { shape: { leaf: 'text' }, required: true } },
  kinds: ['DataContract', 'virtualDataset', 'managedDataset'],
  objects: 'dataset',
  columns: 'columns',
  column: 'column',
};

/** The first release of 2.2 knew no kind. */
const SPEECH_2_0: VersionSpeech = { ...SPEECH_2, members: DOCUMENT_2 };

export const speechOf = (version: OdcsVersion): VersionSpeech => {
  if (!isVersion2(version)) return SPEECH_3;
  return version === 'v2.2.0' ? SPEECH_2_0 : SPEECH_2;
};
