import type { RequestHandler } from 'express';

/** 32 by 32 pixels, as browsers want it. */
const ICON = Buffer.from(
  'AAABAAEAICAAAAEAIACnAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAL1XU////' +
    'LOIWRAAAAAF0Uk5TAEDm2GYAAABMSURBVHjaY2AIBQMGBkYIw4GBFcIIYBCFMEKgSoCKsDGypoatpDsjamnUUghj1SoII2zV' +
    'qqkQh61aBXUhSEkoPsfDPQj3MjwQYMECAMQHXeQK1ZIIAAAAAElFTkSuQmCC',
  'base64',
);

/** Browsers ask for it beside every page: no call of the service, and so in no journal and no report. */
export const sendIcon: RequestHandler = ({ method }, response) => {
  response.writeHead(200, {
    'content-type': 'image/x-icon',
    'content-length': ICON.length,
    'cache-control': 'max-age=86400',
  });
  response.end(method === 'HEAD' ? undefined : ICON);
};
