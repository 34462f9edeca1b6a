// What the page is read on: how wide the window was when the page was loaded, and what points.

/** True on a phone, which has room for one column. */
export const isPhone = matchMedia("(max-width: 719px)").matches;

/** True where a finger points, which needs targets of 44 px. */
export const isTouch = matchMedia("(pointer: coarse)").matches;
