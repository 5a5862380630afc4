import type { ReactNode } from 'react';
import type { Member } from './form.ts';
import type { Problem } from './problems.ts';

/** A part of the form with what is wrong in it. */

export const clauseId = (member: Member): string => `clause-${member}`;

type ClauseProps = {
  readonly title: string;
  readonly members: readonly Member[];
  readonly problems: readonly Problem[];
  readonly hint?: string;
  readonly children: ReactNode;
};

export const Clause = ({ title, members, problems, hint, children }: ClauseProps) => {
  const own = problems.filter(({ member }) => member !== undefined && members.includes(member));
  const [first] = members;
  return (
    <section className="card stack clause" aria-label={title} id={first && clauseId(first)} tabIndex={-1}>
      <div>
        <h2>{title}</h2>
        {hint && <p className="quiet">{hint}</p>}
      </div>
      {own.length > 0 && (
        <ul className="problems">
          {own.map(({ text, isNote }) => (
            <li key={text} className={isNote ? 'note' : ''}>
              {text}
            </li>
          ))}
        </ul>
      )}
      {children}
    </section>
  );
};
