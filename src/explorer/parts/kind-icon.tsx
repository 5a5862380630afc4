import { createElement } from 'react';
import { looksOf } from './kind-looks.ts';
import './kind-icon.css';

/** The icon of a kind in the hue of its family; the word for it stands beside. */
export const KindIcon = ({ type }: { readonly type: string }) => {
  const { family, icon } = looksOf(type);
  return (
    <svg className={`kind-icon family-${family}`} viewBox="0 0 24 24" width="14" height="14" aria-hidden="true">
      {icon.map(([tag, attributes]) => createElement(tag, { key: JSON.stringify(attributes), ...attributes }))}
    </svg>
  );
};
