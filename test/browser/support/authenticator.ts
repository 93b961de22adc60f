import type { CDPSession, Page } from 'playwright-core';

interface Traits {
  readonly transport?: 'internal' | 'usb' | 'nfc' | 'hybrid';
  /** `false`: nobody touches the device, so that prompts stay open. */
  readonly automaticPresenceSimulation?: boolean;
  readonly isUserVerified?: boolean;
  /** `false`: a key without PIN. */
  readonly hasUserVerification?: boolean;
  /** Whether it can keep passkeys. */
  readonly hasResidentKey?: boolean;
  readonly hasPrf?: boolean;
  readonly hasLargeBlob?: boolean;
}

/** An init script that prevents a choice from the list of a field. The virtual device would choose at once. */
export const LIST_WAITS = `
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (options) =>
    options.mediation === 'conditional'
      ? new Promise((_, fail) => {
          options.signal.addEventListener('abort', () => fail(options.signal.reason));
        })
      : get(options);`;

/** A virtual authenticator of Chromium, for one page. */
export class VirtualAuthenticator {
  private constructor(
    private readonly cdp: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  /** Plugs a device in. Several pages or several devices need a call each. */
  static async add(page: Page, traits: Traits = {}): Promise<VirtualAuthenticator> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable', { enableUI: false });
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        ...traits,
      },
    });
    return new VirtualAuthenticator(cdp, authenticatorId);
  }

  async remove(): Promise<void> {
    const { cdp, authenticatorId } = this;
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  }

  /** Makes every signature wrong from now on. */
  async breakSignatures(): Promise<void> {
    const { cdp, authenticatorId } = this;
    const bits = { isBogusSignature: true };
    await cdp.send('WebAuthn.setResponseOverrideBits', { authenticatorId, ...bits });
  }

  /** Sets whether somebody touches the device from now on. */
  async setPresence(enabled: boolean): Promise<void> {
    const { cdp, authenticatorId } = this;
    await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  async keys(): Promise<number> {
    const { cdp, authenticatorId } = this;
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    return credentials.length;
  }
}
