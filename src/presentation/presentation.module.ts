import { Global, Module } from '@nestjs/common';
import { Banners } from './banners.js';
import { Recognition } from './recognition.js';

@Global()
@Module({ providers: [Banners, Recognition], exports: [Banners, Recognition] })
export class PresentationModule {}
