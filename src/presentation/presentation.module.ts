import { Global, Module } from '@nestjs/common';
import { Banners } from './banners.js';

@Global()
@Module({ providers: [Banners], exports: [Banners] })
export class PresentationModule {}
