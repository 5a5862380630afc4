import type { LineageNode } from '../api/types.ts';
import { KindIcon } from '../parts/kind-icon.tsx';
import { FATE_NAMES, type Fate } from './graph-model.ts';
import { kindName } from './names.ts';
import { STATE_SIGNS } from './state-chips.tsx';
import { statesOf } from './states.ts';

/** What a box says of its record: a sign and a word each, which have room side by side. The title says all of it. */

type BadgesProps = { readonly record: LineageNode; readonly fate: Fate | undefined };

type SignProps = { readonly sign: string; readonly word: string; readonly text: string; readonly tone: string };

const Sign = ({ sign, word, text, tone }: SignProps) => (
  <span className={`chip box-badge ${tone}`} title={text}>
    <span aria-hidden="true">{sign}</span>
    <span aria-hidden="true" className="box-word">
      {word}
    </span>
    <span className="visually-hidden">{text}</span>
  </span>
);

const FATE_TONES: Readonly<Record<Fate, string>> = { came: 'good', went: 'bad', changed: 'warn' };

const FateBadge = ({ fate }: { readonly fate: Fate }) => (
  <span className={`chip box-badge ${FATE_TONES[fate]}`}>{FATE_NAMES[fate]}</span>
);

/** The same as a sign, for when the line in which the words stand cannot be read. */
const FateSign = ({ fate }: { readonly fate: Fate }) => (
  <span className={`chip box-badge box-sign ${FATE_TONES[fate]}`} aria-hidden="true">
    {FATE_NAMES[fate].split(' ')[0]}
  </span>
);

/** What the record is, how important, and whether it is new or gone. */
export const BoxKind = ({ record, fate }: BadgesProps) => (
  <span className="box-kind">
    <KindIcon type={record.type} />
    <span className="box-kind-name">
      {kindName(record.type)}
      {record.service?.name ? ` · ${record.service.displayName || record.service.name}` : ''}
    </span>
    {fate && <FateBadge fate={fate} />}
    {record.tier && <span className="chip box-badge">{record.tier.replace('Tier.', '')}</span>}
  </span>
);

/** Of tests and contract, a box says how they are by a sign alone. */
const signsOf = ({ testStatus, contractStatus }: LineageNode) => [
  ...(testStatus ? statesOf({ testStatus }).map((state) => ({ ...state, word: 'tests' })) : []),
  ...(contractStatus ? statesOf({ contractStatus }).map((state) => ({ ...state, word: 'contract' })) : []),
];

export const BoxBadges = ({ record, fate }: BadgesProps) => (
  <>
    {fate && <FateSign fate={fate} />}
    {signsOf(record).map(({ text, tone, word }) => (
      <Sign key={word} sign={STATE_SIGNS[tone]} word={word} text={text} tone={tone} />
    ))}
  </>
);
