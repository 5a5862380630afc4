/** The mark of the service: streams that become one. */
export const Mark = ({ size = 24 }: { readonly size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="7" fill="#0f5c66" />
    <path d="M6 9c7 0 7 7 12 7h8M6 23c7 0 7-7 12-7" fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
  </svg>
);
