/** Written by scripts/colours.mjs from js/style/colours.css: change that. */
export interface Paint {
  fill: string;
  line: string;
}

/** The colours of a picture. */
export interface Colours {
  ground: string;
  ink: string;
  faint: string;
  edge: string;
  hovered: string;
  match: string;
  odd: string;
  /** By the name of a colour class. */
  paints: Readonly<Record<string, Paint>>;
}

export const LIGHT: Colours = {
  ground: '#ffffff',
  ink: '#1c2024',
  faint: '#5b6570',
  edge: '#8f98a3',
  hovered: '#3d4650',
  match: '#c2187a',
  odd: '#a65300',
  paints: {
    pill: { fill: '#ffffff', line: '#7f8994' },
    group: { fill: '#eef1f5', line: '#9aa5b1' },
    selected: { fill: '#fff3cf', line: '#b97f00' },
    elementwise: { fill: '#eaf3ea', line: '#5ba05e' },
    contraction: { fill: '#deeaf8', line: '#025bc9' },
    reduction: { fill: '#fcece4', line: '#eb6f2d' },
    movement: { fill: '#f7f7f7', line: '#939495' },
    control: { fill: '#e8e3ee', line: '#4c2979' },
    random: { fill: '#f0ece3', line: '#88702a' },
    collective: { fill: '#e0eff1', line: '#128790' },
    call: { fill: '#f3e2ec', line: '#a21f6d' },
    other: { fill: '#e9e8e8', line: '#524e4c' },
    f64: { fill: '#f5dee4', line: '#b2032c' },
    f32: { fill: '#e2eaf4', line: '#205caa' },
    f16: { fill: '#e1f3f3', line: '#1ca2a2' },
    f8: { fill: '#e9f0ea', line: '#528a5d' },
    int: { fill: '#f5f1e2', line: '#af911f' },
    bool: { fill: '#e7e4ec', line: '#492f70' },
    opaque: { fill: '#eae9e9', line: '#5a5858' },
    scope1: { fill: '#dee9f5', line: '#0257b5' },
    scope2: { fill: '#f5eae5', line: '#b25c35' },
    scope3: { fill: '#ecf3ec', line: '#6da06d' },
    scope4: { fill: '#e8e4ed', line: '#4d3175' },
    scope5: { fill: '#f5f0de', line: '#af8904' },
    scope6: { fill: '#f0e7eb', line: '#884667' },
    scope7: { fill: '#e1f0ef', line: '#1b8a86' },
    scope8: { fill: '#eee2e2', line: '#7f2021' },
    heat0: { fill: '#ffffff', line: '#a9b1ba' },
    heat1: { fill: '#fef9f8', line: '#ae8c79' },
    heat2: { fill: '#fff2f0', line: '#ab6b52' },
    heat3: { fill: '#ffebe9', line: '#a34931' },
    heat4: { fill: '#fee5e2', line: '#932317' },
    heat5: { fill: '#fededb', line: '#730c15' },
    heat6: { fill: '#fed8d6', line: '#4d0718' },
    unreported: { fill: '#ffffff', line: '#939495' },
    added: { fill: '#ddf3e6', line: '#0b7a48' },
    removed: { fill: '#fbe7dd', line: '#c04a10' },
    changed: { fill: '#dfe8fb', line: '#2a3db0' },
    moved: { fill: '#f6e3f2', line: '#9a1f7d' },
    retyped: { fill: '#f3f0f7', line: '#85789c' },
    same: { fill: '#fafbfc', line: '#b4bcc5' },
  },
};

export const DARK: Colours = {
  ground: '#16181b',
  ink: '#e7e9ec',
  faint: '#a3adb8',
  edge: '#717b87',
  hovered: '#cfd6de',
  match: '#ff7fc8',
  odd: '#f2a65a',
  paints: {
    pill: { fill: '#1e2125', line: '#818b97' },
    group: { fill: '#25292f', line: '#65707c' },
    selected: { fill: '#443613', line: '#e6b144' },
    elementwise: { fill: '#2a332b', line: '#8eb87a' },
    contraction: { fill: '#263242', line: '#73b3ff' },
    reduction: { fill: '#3b261c', line: '#ed6a1f' },
    movement: { fill: '#202224', line: '#777778' },
    control: { fill: '#2e283f', line: '#a675ef' },
    random: { fill: '#3b3318', line: '#efb80c' },
    collective: { fill: '#193d41', line: '#29effc' },
    call: { fill: '#342a32', line: '#c882a4' },
    other: { fill: '#353436', line: '#cbbeba' },
    f64: { fill: '#3c282c', line: '#f5767e' },
    f32: { fill: '#2d3341', line: '#a0b8fb' },
    f16: { fill: '#1c3235', line: '#37b2b2' },
    f8: { fill: '#132817', line: '#027604' },
    int: { fill: '#3b3629', line: '#edca6b' },
    bool: { fill: '#29273f', line: '#8771ed' },
    opaque: { fill: '#272729', line: '#7a6f6b' },
    scope1: { fill: '#26303f', line: '#76a8ed' },
    scope2: { fill: '#3a2d29', line: '#eb966f' },
    scope3: { fill: '#2f3d34', line: '#abf3ad' },
    scope4: { fill: '#2d263d', line: '#9b68e4' },
    scope5: { fill: '#3d3618', line: '#fecb07' },
    scope6: { fill: '#3a2333', line: '#ea58a7' },
    scope7: { fill: '#23393c', line: '#64dbdb' },
    scope8: { fill: '#361d20', line: '#d03839' },
    heat0: { fill: '#1b1d20', line: '#596069' },
    heat1: { fill: '#271a1a', line: '#865858' },
    heat2: { fill: '#341b1a', line: '#b46664' },
    heat3: { fill: '#401a1a', line: '#e4756e' },
    heat4: { fill: '#4d181a', line: '#fc9382' },
    heat5: { fill: '#58171a', line: '#fec1a6' },
    heat6: { fill: '#641618', line: '#feebd9' },
    unreported: { fill: '#1b1d20', line: '#777778' },
    added: { fill: '#143426', line: '#3fd08e' },
    removed: { fill: '#44261a', line: '#f57a3c' },
    changed: { fill: '#1f2f52', line: '#94a6ff' },
    moved: { fill: '#42203b', line: '#f7d3ef' },
    retyped: { fill: '#2a2633', line: '#8b80a0' },
    same: { fill: '#1b1e21', line: '#555e68' },
  },
};
