import { join } from 'node:path';
import { StartupError } from '../../errors.ts';
import { packageRoot } from '../package-root.ts';

/**
 * The release lines of Neo4j that the embedded server supports. A store opened by a newer line cannot be opened by an
 * older one.
 */
export const NEO4J_LINES = ['5', '2026'] as const;

export type Neo4jLine = (typeof NEO4J_LINES)[number];

/** The differences between the lines that matter for starting a server. */
export type Neo4jLineInfo = {
  readonly line: Neo4jLine;
  readonly pom: string;
  readonly mainClass: string;
  readonly oldestJava: number;
};

const EMBEDDED_FOLDER = join(packageRoot, 'src', 'graph', 'embedded');

const LINE_INFO: Readonly<Record<Neo4jLine, Neo4jLineInfo>> = {
  '5': {
    line: '5',
    pom: join(EMBEDDED_FOLDER, 'pom.xml'),
    mainClass: 'org.neo4j.server.CommunityEntryPoint',
    oldestJava: 17,
  },
  '2026': {
    line: '2026',
    pom: join(EMBEDDED_FOLDER, 'neo4j-2026', 'pom.xml'),
    mainClass: 'org.neo4j.server.Neo4jCommunity',
    oldestJava: 21,
  },
};

/** Finds a line by name; the long-term one by default. Throws a StartupError for an unknown line. */
export const findNeo4jLine = (named: string | undefined): Neo4jLineInfo => {
  const line = NEO4J_LINES.find((known) => known === (named || NEO4J_LINES[0]));
  if (line) return LINE_INFO[line];
  throw new StartupError(`NEO4J_LINE is "${named}", expected one of ${NEO4J_LINES.join(', ')}`);
};
