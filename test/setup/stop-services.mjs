import { rm } from 'node:fs/promises';
import { found } from './services.mjs';

export default async function stopServices() {
  await Promise.all(found.services.map(({ stop }) => stop?.()));
  await rm(found.templates, { recursive: true, force: true });
}
