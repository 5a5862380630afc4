import { rotateSealingKey } from '../access/secret-box.ts';
import { rotateSigningKey } from '../access/signing-key.ts';
import { openAnswer } from './answer-result.ts';
import type { CommandInput } from './command.ts';
import { readHomeConfig, refreshAdminToken } from './tokens.ts';
import { UsageError } from './usage-error.ts';

const KEY_KINDS = ['signing', 'sealing'] as const;

const isKeyKind = (text: string): text is (typeof KEY_KINDS)[number] => KEY_KINDS.some((kind) => kind === text);

/**
 * `tributary keys rotate [signing|sealing] [--now]`: adds a version of one or both keys. No restart is needed, because
 * the running service checks for new versions itself.
 */
export const rotateKeysCommand = async (input: CommandInput): Promise<number> => {
  const [named] = input.positionals;
  const isNow = input.has('now');
  if (named !== undefined && !isKeyKind(named)) {
    throw new UsageError(`tributary keys rotate takes one of ${KEY_KINDS.join(', ')}, or neither for both`);
  }
  if (isNow && named === 'sealing') {
    throw new UsageError(
      '--now applies to the signing key only: secrets sealed with the former sealing key could no longer be opened',
    );
  }
  const config = await readHomeConfig(input.env);
  const keys: { signing?: string; sealing?: string } = {};
  const lines: string[] = [];
  if (named !== 'sealing') {
    keys.signing = await rotateSigningKey({ home: config.home, keyFile: config.auth.keyFile }, isNow);
    if (isNow) await refreshAdminToken(config);
    const former = isNow ? 'Tokens of former keys are refused from now on.' : 'Former tokens count until they end.';
    lines.push(`Tokens are signed by the key ${keys.signing}. ${former}`);
  }
  if (named !== 'signing') {
    keys.sealing = await rotateSealingKey({ home: config.home, secretsKey: config.secretsKey });
    lines.push(`Secrets are sealed by the key ${keys.sealing}. The running service seals the stored ones again.`);
  }
  openAnswer(input).result(keys, ...lines);
  return 0;
};
