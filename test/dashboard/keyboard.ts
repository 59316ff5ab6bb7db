import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';

/** The longest way on a page, in presses of Tab. */
const MAX_TABS = 80;
const MAX_ARROWS = 10;
const BACK = 'Shift+Tab';

/** Uses a page without a mouse. */
export interface Keyboard {
  /** Goes to an element with Tab. @throws Error if Tab does not lead there, or the focus is not seen */
  reach(target: Locator): Promise<void>;
  /** Goes to an element and presses a key. @param key by default Enter */
  press(target: Locator, key?: string): Promise<void>;
  /** Goes to an entry of the open menu with the arrows, and chooses it. */
  choose(entry: Locator): Promise<void>;
  /** Goes to a field and replaces its text. */
  type(target: Locator, text: string): Promise<void>;
  /** Opens the menu of the pages on a phone; on a wide screen they are always there. */
  openMenu(): Promise<void>;
  /** Goes to a page of the navigation. */
  goTo(name: string): Promise<void>;
}

/** The keyboard of a page. */
export function keyboardOf(page: Page): Keyboard {
  const reach = async (target: Locator, tab = 'Tab'): Promise<void> => {
    // The input of a switch is hidden behind its label.
    await target.waitFor({ state: 'attached' });
    const focused = target.and(page.locator(':focus'));
    for (let tabs = 0; (await focused.count()) === 0; tabs += 1) {
      if (tabs === MAX_TABS) throw new Error(`Tab does not lead to ${target}.`);
      await page.keyboard.press(tab);
      const lost = await page.evaluate<string | null>(FOCUS_OFF_SCREEN);
      if (lost !== null) throw new Error(`Tab leads off the screen, to ${lost}.`);
    }
    // The border of a field changes its color within 100 ms.
    await eventually(() => page.evaluate<boolean>(SHOWS_FOCUS));
  };
  const choose = async (entry: Locator): Promise<void> => {
    await entry.waitFor();
    const focused = entry.and(page.locator(':focus'));
    for (let arrows = 0; (await focused.count()) === 0; arrows += 1) {
      if (arrows === MAX_ARROWS) throw new Error(`The arrows do not lead to ${entry}.`);
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
  };
  const press = async (target: Locator, key = 'Enter') => {
    await reach(target);
    await page.keyboard.press(key);
  };
  const openMenu = async () => {
    const menu = page.getByRole('button', { name: 'Open the menu' });
    // A dialog that closes has a banner and the focus until it is gone.
    await eventually(async () => (await page.getByRole('dialog').count()) === 0);
    await page.getByRole('banner').waitFor();
    const isPhone = await menu.isVisible();
    if (isPhone) {
      await reach(menu, BACK);
      await page.keyboard.press('Enter');
      // The menu slides in; until then, what it contains is beside the screen.
      await eventually(async () => (await page.getByRole('navigation').boundingBox())?.x === 0);
    }
    return isPhone;
  };
  return {
    reach,
    press,
    choose,
    async openMenu() {
      await openMenu();
    },
    async goTo(name) {
      const isPhone = await openMenu();
      const link = page.getByRole('navigation').getByRole('link', { name, exact: true });
      // On a wide screen the pages come before the heading, which has the focus of a new page.
      await reach(link, isPhone ? 'Tab' : BACK);
      await page.keyboard.press('Enter');
    },
    async type(target, text) {
      await press(target, 'ControlOrMeta+A');
      await page.keyboard.type(text);
    },
  };
}

/**
 * What has the focus although no part of it, or of the label drawn for it, is on the screen; null
 * if it is seen. Dialogs correct the focus in a timer after Tab, which no person outruns.
 */
const FOCUS_OFF_SCREEN = `new Promise((resolve) => setTimeout(resolve)).then(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return null;
  const isSeen = [focused, focused.parentElement].some((element) => {
    const { top, left, bottom, right } = element.getBoundingClientRect();
    return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  });
  return isSeen ? null : focused.outerHTML.slice(0, 200);
})`;

/** Whether the focus has an outline (it, or the label that is drawn for it), or its field a border of its color. */
const SHOWS_FOCUS = `(() => {
  const focused = document.activeElement;
  const field = focused.closest('.mantine-Input-input') ?? focused;
  const drawn = [focused, focused.nextElementSibling, focused.parentElement].filter(Boolean);
  const hasOutline = drawn.some((element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  });
  const probe = document.createElement('i');
  document.body.append(probe);
  probe.style.color = getComputedStyle(field).getPropertyValue('--input-bd-focus');
  const { color } = getComputedStyle(probe);
  probe.remove();
  return hasOutline || getComputedStyle(field).borderColor === color;
})()`;
