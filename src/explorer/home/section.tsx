import type { ReactNode } from 'react';

type HomeSectionProps = { readonly title: string; readonly more?: ReactNode; readonly children: ReactNode };

/** A part of the start page. */
export const HomeSection = ({ title, more, children }: HomeSectionProps) => (
  <section className="card home-section" aria-label={title}>
    <div className="home-section-head">
      <h2>{title}</h2>
      {more}
    </div>
    {children}
  </section>
);
