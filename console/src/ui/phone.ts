// How wide the window was when the page was loaded.

/** True on a phone, which has room for one column. */
export const isPhone = matchMedia("(max-width: 719px)").matches;
