import { LabIcon } from '@jupyterlab/ui-components';

/** Two eqns and the one that they feed. */
export const icon = new LabIcon({
  name: 'jaxviz:panel',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
  <g class="jp-icon3" fill="none" stroke="#616161" stroke-width="1.3">
    <rect x="1.2" y="1.7" width="5.2" height="3.8" rx="1"/>
    <rect x="9.6" y="1.7" width="5.2" height="3.8" rx="1"/>
    <rect x="5.4" y="10.5" width="5.2" height="3.8" rx="1"/>
    <path d="M3.8 5.5 C3.8 8.5 7 7.5 7 10.5 M12.2 5.5 C12.2 8.5 9 7.5 9 10.5"/>
  </g>
</svg>`,
});
