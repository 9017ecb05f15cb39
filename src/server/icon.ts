import type { RequestHandler } from 'express';

/** 32 by 32 pixels. */
const ICON = Buffer.from(
  'AAABAAEAICAAAAEAIACnAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAL1XU////' +
    'LOIWRAAAAAF0Uk5TAEDm2GYAAABMSURBVHjaY2AIBQMGBkYIw4GBFcIIYBCFMEKgSoCKsDGypoatpDsjamnUUghj1SoII2zV' +
    'qqkQh61aBXUhSEkoPsfDPQj3MjwQYMECAMQHXeQK1ZIIAAAAAElFTkSuQmCC',
  'base64',
);

/** Browsers fetch the icon with every page. It is not a call of the service, so journal and coverage do not list it. */
export const sendIcon: RequestHandler = ({ method }, response) => {
  response.writeHead(200, {
    'content-type': 'image/x-icon',
    'content-length': ICON.length,
    'cache-control': 'max-age=86400',
  });
  response.end(method === 'HEAD' ? undefined : ICON);
};
