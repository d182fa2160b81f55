import type { ReactNode } from "react";

type Props = {
  className?: string | undefined;
  /** Never the brand's logo. */
  isProducts?: boolean;
};

/**
 * The product's mark, or the brand's logo, which the page's own style puts there. Decorative: the name always stands beside it or in
 * the page's title.
 */
export function Logo({ className, isProducts }: Props): ReactNode {
  return (
    <svg
      viewBox="0 0 32 32"
      className={className}
      data-logo={isProducts ? undefined : ""}
      aria-hidden="true"
    >
      <rect width="32" height="32" rx="9" fill="var(--bc-acc)" />
      <g
        fill="none"
        stroke="var(--bc-on-acc)"
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d="M10 8.5h12a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3h-3.2L16 25l-2.8-3.5H10a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3Z" />
        <path d="M12 13.3h8M12 17h5" />
      </g>
    </svg>
  );
}
