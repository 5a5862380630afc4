import { type ComponentProps, useId } from 'react';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { followedAddress, isImageInText } from './markdown-address.ts';

const Followed = ({ href = '', children, ...rest }: ComponentProps<'a'>) => {
  const address = followedAddress(href, location.origin);
  if (address === undefined) return children;
  const { id, className, 'aria-label': label, 'aria-describedby': describedBy } = rest;
  return (
    <a href={address} id={id} className={className} aria-label={label} aria-describedby={describedBy}>
      {children}
    </a>
  );
};

/** An image that is elsewhere is offered as a link, by the words that stand for it. */
const Picture = ({ src = '', alt = '' }: ComponentProps<'img'>) => {
  const address = String(src);
  if (isImageInText(address)) return <img src={address} alt={alt} />;
  return <Followed href={address}>{alt || address}</Followed>;
};

const COMPONENTS = { a: Followed, img: Picture };

/** The elements themselves judge their addresses. */
const keepAddress = (address: string): string => address;

/**
 * Text becomes elements and never HTML: tags in it are shown as the letters that they are. Footnotes have IDs, which are
 * told apart between the texts of a page.
 */
export const Markdown = ({ text }: { readonly text: string }) => {
  const id = useId();
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      remarkRehypeOptions={{ clobberPrefix: `${id}-` }}
      skipHtml={false}
      urlTransform={keepAddress}
      components={COMPONENTS}
    >
      {text}
    </ReactMarkdown>
  );
};
