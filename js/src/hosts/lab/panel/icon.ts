import { LabIcon } from '@jupyterlab/ui-components';

/** Two eqns and the one that they feed. */
export const icon = new LabIcon({
  name: 'jaxviz:panel',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none">
  <g class="jp-icon3" fill="#616161">
    <rect x="0.8" y="1.3" width="6" height="4.4" rx="1"/>
    <rect x="9.2" y="1.3" width="6" height="4.4" rx="1"/>
    <rect x="5" y="10.3" width="6" height="4.4" rx="1"/>
  </g>
  <g class="jp-icon3" stroke="#616161" stroke-width="1.3">
    <path d="M3.8 5.5 C3.8 8.5 7 7.5 7 10.5 M12.2 5.5 C12.2 8.5 9 7.5 9 10.5"/>
  </g>
</svg>`,
});
