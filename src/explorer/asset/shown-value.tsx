import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { RefLinks } from '../parts/refs.tsx';
import { isoMoment, readableTime } from '../parts/times.ts';
import type { Fact, Shown, ShownItem } from './describe-members.ts';
import './shown-value.css';

/** A member of a record as people read it. */

const Item = ({ item: { title, facts } }: { readonly item: ShownItem }) => (
  <li>
    {title !== undefined && <strong>{title}</strong>}
    {facts.length > 0 && <FactList facts={facts} />}
  </li>
);

export const ShownValue = ({ shown }: { readonly shown: Shown }) => {
  switch (shown.as) {
    case 'text':
      return <span className="shown-text">{shown.text}</span>;
    case 'link':
      return (
        <a href={shown.address} rel="noreferrer noopener" target="_blank" className="shown-text">
          {shown.address}
        </a>
      );
    case 'asset':
      return (
        <Link href={assetAddress(shown.asset.type, shown.asset.fqn)} className="shown-text">
          {shown.asset.fqn}
        </Link>
      );
    case 'time':
      return <time dateTime={isoMoment(shown.at)}>{readableTime(shown.at)}</time>;
    case 'code':
      return (
        <pre className="shown-code">
          <code>{shown.text}</code>
        </pre>
      );
    case 'references':
      return <RefLinks refs={shown.references} none="None" />;
    case 'chips':
      return (
        <span className="row">
          {shown.texts.map((text) => (
            <span key={text} className="chip">
              {text}
            </span>
          ))}
        </span>
      );
    case 'facts':
      return <FactList facts={shown.facts} />;
    case 'list':
      return (
        <ul className="shown-list">
          {shown.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of a list that was read never change.
            <Item key={at} item={item} />
          ))}
        </ul>
      );
  }
};

/** Members as names and values: short ones beside their names, long ones below. */
export const FactList = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className="fact-list">
    {facts.map(({ name, title, shown }) => (
      <div key={name} className={shown.as === 'text' || shown.as === 'time' ? 'fact short' : 'fact'}>
        <dt>{title}</dt>
        <dd>
          <ShownValue shown={shown} />
        </dd>
      </div>
    ))}
  </dl>
);
