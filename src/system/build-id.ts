import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../graph/package-root.ts';

/** Reads which build of the program this is. */
export const readBuildId = (): string => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return `tributary-${version}`;
};
