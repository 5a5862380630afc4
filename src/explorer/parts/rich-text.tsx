import { lazy, Suspense } from 'react';
import { FaultBoundary } from './fault-boundary.tsx';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

/** Longer texts than this take seconds to be read as Markdown when somebody means harm. */
const MOST_FORMATTED = 20_000;

const PlainText = ({ text }: { readonly text: string }) => <p className="plain-text">{text}</p>;

/**
 * A description, which people write in Markdown. The text stands as it is until the reader of Markdown has come, when it is
 * very long, and when it is nested too deeply to be read.
 */
export const RichText = ({ text }: { readonly text: string }) => {
  const plain = <PlainText text={text} />;
  return (
    <div className="rich-text">
      {text.length > MOST_FORMATTED ? (
        plain
      ) : (
        <FaultBoundary key={text} fallback={() => plain}>
          <Suspense fallback={plain}>
            <Markdown text={text} />
          </Suspense>
        </FaultBoundary>
      )}
    </div>
  );
};
