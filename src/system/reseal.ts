import { setTimeout as sleep } from 'node:timers/promises';
import type { SecretBox } from '../access/secret-box.ts';
import type { Registry } from '../catalog/registry.ts';
import type { Graph } from '../graph/client.ts';
import type { WriteStatementRow } from '../graph/group-commit.ts';
import { statement, template, withPositions } from '../graph/statement.ts';
import type { JobOperations, JobWork, OperationOutcome } from '../jobs/job-operation.ts';
import type { Kind } from '../model/kind/kind.ts';

/** The operation of jobs that seal values of former key versions again with the current key. */
export const RESEAL_OPERATION = 'RESEAL';

type ResealDeps = { readonly graph: Graph; readonly secrets: SecretBox; readonly registry: Registry };

/** A property that contains sealed texts. */
type SealedProperty = { readonly label: string; readonly property: string };

type SealedText = { readonly id: string; readonly text: string };

const listSealed = template<{ property: string; current: string; after: string; limit: number }, SealedText>(
  'system/list_sealed',
  'LABEL',
  { params: ['property', 'current', 'after', 'limit'], row: ['id', 'text'] },
);
const updateSealed = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>('system/update_sealed', {
  params: ['rows'],
  row: ['at'],
});
const updateSealedTokens = statement<{ rows: readonly WriteStatementRow[] }, { at: number }>(
  'system/update_sealed_tokens',
  {
    params: ['rows'],
    row: ['at'],
  },
);
const readSealingKey = statement<Record<string, never>, { value: string }>('system/read_sealing_key', {
  params: [],
  row: ['value'],
});
const updateSealingKey = statement<{ value: string }, { value: string }>('system/update_sealing_key', {
  params: ['value'],
  row: ['value'],
});

const BATCH = 100;
/** Longer than another process may take to notice a new key. Until then it seals with the previous one. */
const KEY_CHANGE_NOTICE_MS = 2500;
const MAX_PASSES = 10;

/** The label of bot tokens, which are not records. */
const TOKEN_LABEL = 'IssuedToken';

/** Lists the properties with sealed texts: secret values of records, and bot tokens. */
const listSealedProperties = (kinds: readonly Kind[]): readonly SealedProperty[] => [
  ...kinds.flatMap(({ label, attributes }) =>
    Object.entries(attributes)
      .filter(([, { store }]) => store === 'secret')
      .map(([name]) => ({ label, property: `${name}Json` })),
  ),
  { label: TOKEN_LABEL, property: 'sealed' },
];

const currentPrefix = ({ fingerprint }: SecretBox): string => `tributary-sealed:2:${fingerprint.slice(0, 8)}:`;

/** Seals a page of texts again and returns how many changed. Texts that no key opens stay as they are. */
const resealPage = async (
  { graph, secrets }: ResealDeps,
  { label, property }: SealedProperty,
  page: readonly SealedText[],
): Promise<number> => {
  const rows = withPositions(
    page
      .map(({ id, text }) => ({ id, property, former: text, changes: { [property]: secrets.reseal(text) } }))
      .filter(({ former, changes }) => changes[property] !== former),
  );
  if (rows.length === 0) return 0;
  const update = label === TOKEN_LABEL ? updateSealedTokens : updateSealed;
  return (await graph.write((transaction) => transaction.run(update, { rows }))).length;
};

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Goes through all sealed properties once, starting where a former run stopped, and returns how many texts changed. */
const resealAllOnce = async (sealing: ResealDeps, work: JobWork, isFirst: boolean): Promise<number> => {
  const places = listSealedProperties(sealing.registry.kinds);
  let changed = 0;
  let after = isFirst ? String(work.job.state['after'] ?? '') : '';
  for (let at = isFirst ? toNumber(work.job.state['place']) : 0; at < places.length; at += 1) {
    const place = places[at] as SealedProperty;
    for (;;) {
      work.check();
      const params = { property: place.property, current: currentPrefix(sealing.secrets), after, limit: BATCH };
      const page = await sealing.graph.read(listSealed.for(place.label), params);
      if (page.length === 0) break;
      changed += await resealPage(sealing, place, page);
      after = page.at(-1)?.id ?? after;
      await work.save({ progress: work.job.progress + changed, state: { place: at, after } });
    }
    after = '';
  }
  return changed;
};

const runReseal = async (sealing: ResealDeps, work: JobWork): Promise<OperationOutcome> => {
  const { fingerprint } = sealing.secrets;
  let total = 0;
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const changed = await resealAllOnce(sealing, work, pass === 1);
    total += changed;
    if (pass > 1 && changed === 0) {
      await sealing.graph.write((transaction) => transaction.run(updateSealingKey, { value: fingerprint }));
      return { message: `${total} texts sealed by the current key` };
    }
    await sleep(KEY_CHANGE_NOTICE_MS);
  }
  throw new Error('other processes still seal with a former key');
};

/** Job operation that seals everything with the current key. Any process can resume a run that was killed. */
export const resealOperations = (deps: ResealDeps): JobOperations => ({
  [RESEAL_OPERATION]: { restart: 'resume', run: (work) => runReseal(deps, work) },
});

/** Whether a former version may still have sealed texts in the store. With only one version that is impossible. */
export const needsReseal = async ({ graph, secrets }: Pick<ResealDeps, 'graph' | 'secrets'>): Promise<boolean> => {
  if (secrets.fingerprints.length < 2) return false;
  const [known] = await graph.read(readSealingKey, {});
  return known?.value !== secrets.fingerprint;
};
