import { KINDS, type Kind } from '../../facts/compared/difference-kinds';

/** What stands for a kind of difference beside text that names it. */
export const Sign = ({ kind }: { kind: Kind }) => (
  <span class={`jxv-sign jxv-sign-${kind}`} aria-hidden="true">
    {KINDS.find((one) => one.kind === kind)?.sign}
  </span>
);

export const SameSign = () => (
  <span class="jxv-sign jxv-sign-same" aria-hidden="true">
    =
  </span>
);
