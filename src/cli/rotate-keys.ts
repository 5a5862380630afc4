import { parseArgs } from 'node:util';
import { rotateSealingKey } from '../access/secret-box.ts';
import { rotateSigningKey } from '../access/signing-key.ts';
import { StartupError } from '../errors.ts';
import { readHomeConfig, refreshAdminToken } from './tokens.ts';

const KEY_KINDS = ['signing', 'sealing'] as const;

const isKeyKind = (text: string): text is (typeof KEY_KINDS)[number] => KEY_KINDS.some((kind) => kind === text);

/**
 * `tributary keys rotate [signing|sealing] [--now]`: adds a version of one or both keys. No restart is needed, because
 * the running service checks for new versions itself.
 */
export const rotateKeysCommand = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { now: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [named, ...more] = positionals;
  if (more.length > 0 || (named !== undefined && !isKeyKind(named))) {
    throw new StartupError(`tributary keys rotate takes one of ${KEY_KINDS.join(', ')}, or neither for both`);
  }
  if (values.now && named === 'sealing') {
    throw new StartupError(
      '--now applies to the signing key only: secrets sealed with the former sealing key could no longer be opened',
    );
  }
  const config = await readHomeConfig();
  if (named !== 'sealing') {
    const kid = await rotateSigningKey({ home: config.home, keyFile: config.auth.keyFile }, values.now);
    if (values.now) await refreshAdminToken(config);
    const former = values.now
      ? 'Tokens of former keys are refused from now on.'
      : 'Former tokens count until they end.';
    console.log(`Tokens are signed by the key ${kid}. ${former}`);
  }
  if (named !== 'signing') {
    const id = await rotateSealingKey({ home: config.home, secretsKey: config.secretsKey });
    console.log(`Secrets are sealed by the key ${id}. The running service seals the stored ones again.`);
  }
  return 0;
};
